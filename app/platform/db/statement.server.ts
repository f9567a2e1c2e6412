import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { Executor } from './db.server.ts'

/** A value of a {@link statement}, to be used in its text any number of times. */
export type Value<Type> = RawBuilder<Type>

type ValuesOf<Types extends readonly unknown[]> = { [Index in keyof Types]: Value<Types[Index]> }

/** Stands for a value in the parameters of a compiled statement. */
class Slot {
	readonly index: number

	constructor(index: number) {
		this.index = index
	}
}

/**
 * A statement whose text is always the same, for hot paths: it is built and compiled when it is executed for the first time, and not by
 * Kysely for each execution (docs/decisions/0121-one-round-trip-less-for-a-message.md).
 * @param build called once, so that only the values may vary from one execution to the next; all of them are required
 * @returns executes it with these values, and returns its rows
 */
export function statement<Row, Types extends readonly unknown[]>(
	build: (...values: ValuesOf<Types>) => RawBuilder<Row>,
): (executor: Executor, ...values: Types) => Promise<Row[]> {
	let compiled: CompiledQuery<Row> | undefined
	return async (executor, ...values) => {
		if (!compiled) {
			const slots = Array.from({ length: build.length }, (_, index) => sql.val(new Slot(index)))
			compiled = build(...(slots as unknown as ValuesOf<Types>)).compile(executor)
		}
		const parameters = compiled.parameters.map((one) => (one instanceof Slot ? values[one.index] : one))
		const { rows } = await executor.executeQuery<Row>({ ...compiled, parameters })
		return rows
	}
}
