package openenv

import (
	"bytes"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// The types of this file are an OpenAPI 3.1 document, as far as ours uses it. Fields are in the order of the specification.

type document struct {
	OpenAPI    string                `json:"openapi"`
	Info       docInfo               `json:"info"`
	Servers    []docServer           `json:"servers,omitempty"`
	Paths      docPaths              `json:"paths"`
	Components docComponents         `json:"components"`
	Security   []map[string][]string `json:"security,omitempty"`
	Tags       []docTag              `json:"tags"`
}

type docInfo struct {
	Title       string     `json:"title"`
	Summary     string     `json:"summary"`
	Description string     `json:"description"`
	License     docLicense `json:"license"`
	Version     string     `json:"version"`
	// Server is the version of the program; Version is the protocol's.
	Server string `json:"x-server-version,omitempty"`
}

type docLicense struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
}

type docServer struct {
	URL         string `json:"url"`
	Description string `json:"description"`
}

type docTag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// docPaths are the paths in the order in which they are written.
type docPaths []docPath

type docPath struct {
	path string
	get  *docOperation
	post *docOperation
}

// MarshalJSON writes one object with the paths in their order.
func (p docPaths) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, x := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(Plain(x.path))
		b.WriteByte(':')
		b.Write(Plain(struct {
			Get  *docOperation `json:"get,omitempty"`
			Post *docOperation `json:"post,omitempty"`
		}{x.get, x.post}))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

type docOperation struct {
	Tags        []string               `json:"tags"`
	Summary     string                 `json:"summary"`
	Description string                 `json:"description"`
	OperationID string                 `json:"operationId"`
	Parameters  []*docParameter        `json:"parameters,omitempty"`
	Body        *docBody               `json:"requestBody,omitempty"`
	Responses   map[string]docResponse `json:"responses"` // by status
	// Security is nil where the document's holds, and empty where none is needed.
	Security []map[string][]string `json:"security,omitzero"`
}

type docParameter struct {
	Ref         string             `json:"$ref,omitempty"`
	Name        string             `json:"name,omitempty"`
	In          string             `json:"in,omitempty"`
	Description string             `json:"description,omitempty"`
	Required    bool               `json:"required,omitempty"`
	Schema      *jsonschema.Schema `json:"schema,omitempty"`
}

type docBody struct {
	Description string              `json:"description,omitempty"`
	Content     map[string]docMedia `json:"content"`
	Required    bool                `json:"required"`
}

type docMedia struct {
	Schema  *jsonschema.Schema `json:"schema"`
	Example json.RawMessage    `json:"example,omitempty"`
}

type docResponse struct {
	Ref         string                `json:"$ref,omitempty"`
	Description string                `json:"description,omitempty"`
	Headers     map[string]*docHeader `json:"headers,omitempty"`
	Content     map[string]docMedia   `json:"content,omitempty"`
	Links       map[string]docLink    `json:"links,omitempty"`
}

type docHeader struct {
	Description string             `json:"description"`
	Schema      *jsonschema.Schema `json:"schema"`
}

// docLink says which value of an answer goes into which parameter of another operation.
type docLink struct {
	OperationID string            `json:"operationId"`
	Parameters  map[string]string `json:"parameters"`
	Description string            `json:"description"`
}

type docComponents struct {
	Schemas    map[string]*jsonschema.Schema `json:"schemas"`
	Responses  map[string]docResponse        `json:"responses"`
	Parameters map[string]*docParameter      `json:"parameters,omitempty"`
	Security   map[string]docSecurity        `json:"securitySchemes,omitempty"`
}

type docSecurity struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme"`
	Description string `json:"description"`
}
