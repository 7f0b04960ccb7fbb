// Package fakellm is a chat model made of a script: an OpenAI-compatible server that gives right, noisy or fixed answers in any
// form a model was seen to answer in, and refuses, breaks and stalls as real endpoints do. It is for tests of clients; it
// holds no model and knows no tickets: what is right, an [Answerer] says. It does not stream.
//
// What it does depends on the script and the request alone, never on chance or on the order in which requests come, except
// where the script says so (calls, every, lists of answers). Start at [ParseScript] and [New]; docs/fake-llm.md has the script's
// language.
package fakellm
