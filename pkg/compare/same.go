package compare

import (
	"os"
	"path/filepath"
)

// Same tells whether two sides are one agent of one and the same source: a folder by whatever name it was given, or a results file of
// one path. Such a pair is no repeat, and says nothing of how runs vary.
func (s *Side) Same(o *Side) bool {
	if s.Agent != o.Agent || (s.folder == nil) != (o.folder == nil) {
		return false
	}
	if s.folder == nil {
		return filepath.Clean(s.From) == filepath.Clean(o.From)
	}
	a, err := s.folder.Root.Stat(".")
	if err != nil {
		return false
	}
	b, err := o.folder.Root.Stat(".")
	return err == nil && os.SameFile(a, b)
}
