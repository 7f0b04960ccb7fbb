package cli

import (
	"context"

	"github.com/spf13/cobra"
)

type auditOptions struct{ app *App }

func newAuditCmd(app *App, run func(context.Context, *auditOptions) error) *cobra.Command {
	o := &auditOptions{app: app}
	return &cobra.Command{Use: "audit", RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) }}
}

func runAudit(context.Context, *auditOptions) error { return nil }
