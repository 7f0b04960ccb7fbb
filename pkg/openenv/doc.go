// Package openenv has the wire forms of the OpenEnv protocol, version 0.10, as its Python client, its validator and its
// reference server speak it: frames, envelopes, error lists, JSON-RPC, schemas. It knows neither servers nor clients, and
// both use it. docs/serving.md says what is served.
package openenv
