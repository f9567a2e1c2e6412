import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** What Playwright's list says of other browsers and systems, and what concerns the windows of a browser only. */
const notCopied = [/^ms[A-Z]/, /Win$/, /^LensOverlay$/]

test('the browser of the journeys does without every feature that Playwright turns off', () => {
	const bundle = join(import.meta.dirname, '../node_modules/playwright-core/lib/coreBundle.js')
	const [, list = ''] = /\bdisabledFeatures = \[(.*?)\]/s.exec(readFileSync(bundle, 'utf8')) ?? []
	const names = Array.from(list.matchAll(/^\s*"(\w+)"/gm), ([, name = '']) => name)
	expect(names.length).toBeGreaterThan(10)
	const config = readFileSync(join(import.meta.dirname, '../playwright.config.ts'), 'utf8')
	const missing = names.filter((name) => !config.includes(`'${name}'`) && !notCopied.some((other) => other.test(name)))
	expect(missing).toEqual([])
})
