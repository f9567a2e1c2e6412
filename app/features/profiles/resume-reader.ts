import type { z } from 'zod'
import { counted } from '~/lib/text.ts'
import { isEmpty } from './resume.ts'

/** Something of a document that a profile cannot keep: where it stands there, and why. */
export interface Unkept {
	path: string
	reason: string
}

export type Entry = Record<string, unknown>
/** From a field's name to what the document says of it, and where. */
export type Said = Record<string, { value: unknown; path: string }>
type Shape = Record<string, z.ZodType>

export const noPlace = 'A profile does not have this field.'

/** Reads fields by a schema, and remembers what it could not read. */
export class Reader {
	readonly unkept: Unkept[] = []

	note(path: string, reason: string): void {
		this.unkept.push({ path: path.replace(/^\./, '').slice(0, 120), reason })
	}

	/** Notes everything in an object that nobody asked for. */
	leave(entry: Entry, path: string): void {
		for (const [key, value] of Object.entries(entry)) {
			if (isEmpty(value)) continue
			const many = Array.isArray(value) ? ` (${counted(value.length, 'entry', 'entries')})` : ''
			this.note(`${path}.${key}${many}`, noPlace)
		}
	}

	/** The fields that are given and right; a wrong one is noted and left out. */
	fields<Fields>(shape: Shape, said: Said): Partial<Fields> {
		const read: Record<string, unknown> = {}
		for (const [name, { value, path }] of Object.entries(said)) {
			if (isEmpty(value)) continue
			// What a document calls `constructor` is no field of the shape.
			const parsed = Object.hasOwn(shape, name) ? shape[name]?.safeParse(value) : undefined
			if (!parsed?.success) this.note(path, parsed?.error.issues[0]?.message ?? noPlace)
			else if (!isEmpty(parsed.data)) read[name] = parsed.data
		}
		return read as Partial<Fields>
	}
}

/** What stands under meta.devquad of the items of a list: at the same place, or, when somebody moved them, by their title. */
export class Extras {
	private readonly entries: Entry[]
	private readonly key: string

	constructor(entries: Entry[], key: string) {
		this.entries = entries
		this.key = key
	}

	of(index: number, title: unknown): Entry {
		const same = (entry: Entry | undefined) => entry !== undefined && entry[this.key] === title
		const entry = same(this.entries[index]) ? this.entries[index] : this.entries.find(same)
		return { ...entry }
	}
}

/** Fields that stand together, for {@link Reader.fields}. */
export function said(fields: Entry, path: string): Said {
	return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { value, path: `${path}.${name}` }]))
}
