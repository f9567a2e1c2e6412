import type { ReactElement } from 'react'
import { expect, test } from 'vitest'
import type { LegalForm } from '../legal.server.ts'
import EditLegal from './edit.tsx'

/** The key of the form of a text: with another one the page shows its fields anew. */
function keyOf(form: Partial<LegalForm>): string | null | undefined {
	const page: ReactElement<{ children: ReactElement<{ form?: unknown }>[] }> = EditLegal({ loaderData: form } as never)
	return page.props.children.find((child) => child && 'sent' in (child.props as object))?.key
}

test('an earlier version to edit from is filled in, also if it is as long as the text before', () => {
	const form = { kind: 'terms' as const, version: 2, versions: [] }
	const [shown, chosen] = ['As of 2026.', 'As of 2025.'].map((body) => keyOf({ ...form, body }))
	expect(shown).toBeTypeOf('string')
	expect(chosen).not.toBe(shown)
})
