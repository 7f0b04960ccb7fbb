// Package audit plays degenerate agents against the local environments and says where one of them earns more than its
// ceiling: agents that read nothing, copy a field, stuff a recommendation, remember train, replay a seed, make the labels
// again or look sentences up. A benchmark that such an agent passes measures nothing.
//
// It is no judge of honest agents, and it makes no tickets: environments, agents and tickets come in as functions of
// [Deps]. Start at [Run]; each file below it is one kind of attack.
package audit
