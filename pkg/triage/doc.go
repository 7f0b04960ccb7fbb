// Package triage is the vocabulary of the project: the nouns that every other package speaks of (task, ticket, facts,
// label, action, observation, score, episode) and the two interfaces between them, [Env] and [Agent].
//
// It does no I/O and holds no clock, no randomness and no state but constant tables. What an agent may see
// ([Observation]) and what it may not ([Facts], [Truth]) are different types, so that a leak does not compile.
// Start reading at [Task] and [Case]; the rules that turn facts into labels are in package handbook, the graders in
// package grade.
package triage
