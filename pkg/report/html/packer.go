package html

import (
	"bytes"
	"compress/gzip"
)

// packer compresses chunks beside the reading of episodes. One goroutine does it, so that the chunks keep their order.
type packer struct {
	in   chan []byte
	free chan []byte
	done chan struct{}
	out  [][]byte
	err  error
}

func startPacker() *packer {
	p := &packer{in: make(chan []byte, 1), free: make(chan []byte, 3), done: make(chan struct{})}
	p.free <- nil
	p.free <- nil
	go p.run()
	return p
}

func (p *packer) run() {
	defer close(p.done)
	for data := range p.in {
		if p.err == nil {
			var packed []byte
			packed, p.err = squeeze(data)
			p.out = append(p.out, packed)
		}
		p.free <- data
	}
}

// pack takes a chunk and gives room for the next one, when there is some.
func (p *packer) pack(data []byte) []byte {
	p.in <- data
	return <-p.free
}

func (p *packer) close() ([][]byte, error) {
	close(p.in)
	<-p.done
	return p.out, p.err
}

// squeeze compresses as a gzip file without a name or a time: the same bytes each time.
func squeeze(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
