import { expect, test } from 'vitest'
import { smallSizeOf } from './picture.tsx'

test.each([
	['a photograph is made smaller in its proportions', 1280, 960, 240, 180, null],
	['a tall one is bounded by its height', 600, 1200, 120, 240, null],
	['a small one stays as it is', 100, 80, 100, 80, null],
	['a very wide one is cut, so that it can be hit', 1280, 40, 240, 48, 'wide'],
	['a very high one too', 40, 1280, 48, 240, 'high'],
	['a dot becomes as large as a finger', 1, 1, 48, 48, 'wide'],
])('%s', (_what, width, height, across, down, cut) => {
	expect(smallSizeOf({ width, height })).toEqual({ width: across, height: down, cut })
})
