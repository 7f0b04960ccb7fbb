// Package configs holds files that are data rather than code and that users may want to replace. It reads none of them:
// [Prices] is read by llm.ParsePrices.
package configs

import _ "embed" // for the files

// Prices is prices.yaml: what models cost, dated, each list with the page it comes from.
//
//go:embed prices.yaml
var Prices []byte
