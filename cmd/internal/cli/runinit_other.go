//go:build !linux

package cli

func (a *app) asInit() (int, bool) { return 0, false }
