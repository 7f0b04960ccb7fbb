package lazyregexp_test

import (
	"reflect"
	"regexp"
	"sync"
	"testing"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

func TestEachMethodIsTheOneOfItsName(t *testing.T) {
	t.Parallel()
	const text = `(b+)|c`
	lazy, plain := reflect.ValueOf(lazyregexp.New(text)), reflect.ValueOf(regexp.MustCompile(text))
	upper := func(s string) string { return "<" + s + ">" }
	values := map[string]reflect.Value{"string": reflect.ValueOf("abbcb"), "[]uint8": reflect.ValueOf([]byte("abbcb")), "int": reflect.ValueOf(2), "func(string) string": reflect.ValueOf(upper)}
	for i := range lazy.NumMethod() {
		name := lazy.Type().Method(i).Name
		theirs := plain.MethodByName(name)
		if !theirs.IsValid() {
			t.Errorf("regexp.Regexp has no %s", name)
			continue
		}
		var args []reflect.Value
		for j := range theirs.Type().NumIn() {
			args = append(args, values[theirs.Type().In(j).String()])
		}
		got, want := lazy.Method(i).Call(args)[0].Interface(), theirs.Call(args)[0].Interface()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s gives %v, regexp %v", name, got, want)
		}
	}
}

func TestSeveralMayUseItAtOnce(t *testing.T) {
	t.Parallel()
	r := lazyregexp.New(`^a+$`)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if !r.MatchString("aaa") || r.MatchString("ab") {
				t.Error("wrong answer")
			}
		})
	}
	wg.Wait()
}

func TestATextThatIsNoneIsFoundByCheckAndByUse(t *testing.T) {
	t.Parallel()
	r := lazyregexp.New(`(`)
	for name, use := range map[string]func(){"use": func() { r.MatchString("") }, "Check": func() { lazyregexp.Check() }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s says nothing", name)
				}
			}()
			use()
		}()
	}
}
