import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withoutUnused } from './smaller-react.ts'

const whole = readFileSync('node_modules/react-dom/cjs/react-dom-client.production.js', 'utf8')

test('React DOM loses the code of view transitions and of references to fragments, and nothing else', () => {
	const smaller = withoutUnused(whole)
	expect(smaller).not.toContain('.startViewTransition({')
	expect(smaller).not.toContain('FragmentInstance.prototype.')
	expect(whole.length - smaller.length).toBeGreaterThan(60_000)
	const bodies = (code: string) =>
		new Map([...code.matchAll(/^function (\w+)\([\s\S]*?^\}$/gm)].map(([body, name]) => [name, body]))
	const after = bodies(smaller.replace(/^function \w+\(\) \{\}$/gm, ''))
	for (const name of ['completeWork', 'beginWork', 'commitMutationEffectsOnFiber', 'createFiberFromFragment'])
		expect(after.get(name), name).toBe(bodies(whole).get(name))
	// Without a return value of these, React would go up to the root of the page for each element that it inserts.
	for (const name of ['isFragmentInstanceHostBoundary', 'isFragmentInstanceParent'])
		expect(after.get(name), name).toBe(bodies(whole).get(name))
})
