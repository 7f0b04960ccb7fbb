package cli

import (
	"encoding/hex"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

func newVersionCmd(app *App) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of the program and of its ticket generator",
		Example: "  triage version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(app.Out, versionText(app))
			return err
		},
	}
}

// versionText is what `triage version` and `triage --version` print.
func versionText(app *App) string {
	v := app.Version()
	commit := v.Commit
	if commit == "" {
		commit = "unknown"
	}
	return fmt.Sprintf("triage %s\ncommit %s\ngenerator %s\n%s %s\n", v.Number, commit, scenario.Version(scenario.EmbeddedHash()), v.Go, v.Platform)
}

func newHandbookCmd(app *App) *cobra.Command {
	return &cobra.Command{
		Use: "handbook", Short: "Print the handbook that decisions are graded by, as Markdown",
		Example: "  triage handbook | less", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(app.Out, handbook.Text())
			return err
		},
	}
}

func newSecretCmd(app *App) *cobra.Command {
	secret := &cobra.Command{
		Use: "secret", Short: "Make secrets that hide which tickets come",
		Long: `A secret file (--secret-file) changes which tickets a seed gives, so that who knows the seed alone cannot make the
labels again. It does not hide what the public bank's sentences mean.`,
		Example: "  (umask 077; triage secret new > secret.txt)", RunE: subcommands,
	}
	secret.AddCommand(&cobra.Command{
		Use: "new", Short: "Print a new secret of 32 random bytes in hex",
		Example: "  (umask 077; triage secret new > secret.txt)\n  triage run --agent heuristic --secret-file secret.txt", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			b := make([]byte, synth.MinSecret)
			if _, err := io.ReadFull(app.Random, b); err != nil {
				return &triage.Error{Code: triage.CodeFiles, Message: "read random bytes", Err: err}
			}
			_, err := fmt.Fprintln(app.Out, hex.EncodeToString(b))
			return err
		},
	})
	return secret
}

// subcommands is the run function of a command that only groups others.
func subcommands(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return cmd.Help()
}
