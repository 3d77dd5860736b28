//go:build !linux

package hashlane

import "errors"

// Only Linux has memory whose size nobody can change.
const canShareMemory = false

func askRegion(string, int) (*region, error) { return nil, errors.ErrUnsupported }

func isAway(error) bool { return false }
