// Package bind turns syntax trees into typed logical plans: it looks names up in a Snapshot, resolves functions and casts, and
// builds joins for sub-queries.
// It knows no operators, no optimizer and no store: a statement's effect (commit, DDL) is its caller's business.
// A binder lives for one statement on one goroutine; the package itself keeps no state.
//
// How a SELECT is bound, in order:
//
//	FROM      scope.go, from.go, join.go     relations become nodes; a scope maps names to column numbers
//	WHERE     select.go, subquery.go,        IN, EXISTS and scalar sub-queries become joins
//	          membership.go
//	GROUP BY  aggregate.go                   aggregates become placeholders, then columns of an Aggregate node
//	SELECT    select.go                      output columns; hidden ones for ORDER BY
//	OVER      window.go                      window functions become placeholders, then columns of Window nodes; QUALIFY filters them
//	ORDER BY  order.go
//
// While an expression is being built, columns whose numbers are not known yet stand in it as placeholders: numbers from aggBase on are
// aggregates, from winBase on window functions, from subBase on results of sub-queries, from outerBase on columns of enclosing queries.
//
// A sub-query is bound as any other query; its plan may hold columns of enclosing queries. scope.lift separates it from the query around it
// (correlate.go: conditions become those of a join; domain.go and unnest.go: anything else), so that a finished plan holds none.
package bind
