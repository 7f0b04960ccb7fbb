// Package validate checks environments and says of each claim what was expected and what was seen: [Local] the environments
// of this program, [URL] any OpenEnv server, [Dir] the folder of a package. A check that does not hold is a finding, never an
// error; an error means that nothing could be checked.
//
// The checks are written apart from what they check: rewards are computed again from the rules, the handbook's tables are
// read from its text, and servers are judged by the criteria of the OpenEnv package's own validator, with the same ids.
package validate
