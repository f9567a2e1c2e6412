import { isId } from '~/lib/checks.ts'
import { NotFound } from '~/lib/errors.ts'

/** The id that an address or a form names. @throws NotFound for anything that cannot be one */
export function readId(text: unknown): number {
	const id = typeof text === 'string' && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0
	if (!isId(id)) throw new NotFound('There is no such page. It may have been deleted.')
	return id
}
