import pg from 'pg'

/** The description of a statement's rows, and how `pg` parses them. */
interface RowShape {
	fields: pg.FieldDef[]
	_parsers: unknown
	_prebuiltEmptyResultObject: unknown
}

/** Members of `pg`'s query that its types omit. */
interface PgQuery extends pg.Query {
	text: string
	name: string
	values: unknown[]
	_result: RowShape
	_accumulateRows: boolean
	prepare(connection: pg.Connection): void
	handleCommandComplete(message: { text: string }, connection: pg.Connection): void
}

const PgQuery = pg.Query as unknown as new (text: string) => PgQuery

/** The row descriptions of the statements prepared on one connection. */
export class PreparedRows {
	/** By the name of the statement. */
	readonly shapes = new Map<string, RowShape>()
	/** The same connection, with `describe` doing nothing. */
	readonly undescribed: pg.Connection

	constructor(connection: pg.Connection) {
		this.undescribed = Object.create(connection, { describe: { value: () => {} } })
	}
}

/**
 * The tags of statements that PostgreSQL plans, and rejects when their result type has changed. `fetch` returns the rows of whatever cursor
 * has the name at that time.
 */
const planned = /^(SELECT|INSERT|UPDATE|DELETE|MERGE)\b/

/** Equal shapes of different connections are stored once. */
const shapes = new Map<string, RowShape>()

/**
 * A prepared statement that requests the description of its rows only when a connection executes it for the first time. `pg`
 * requests it every time, which takes a third of its time for a statement. The description of a {@link planned} statement stays valid; any
 * other is described each time.
 */
export class NamedQuery extends PgQuery {
	private readonly prepared: PreparedRows

	/**
	 * @param statement its name stands for its text
	 * @param prepared of the connection that it is sent on; new descriptions are added to it
	 */
	constructor(statement: { name: string; text: string; values: unknown[] }, prepared: PreparedRows) {
		super(statement.text)
		this.name = statement.name
		this.values = statement.values
		this.prepared = prepared
	}

	override prepare(connection: pg.Connection): void {
		const shape = this.prepared.shapes.get(this.name)
		if (shape) {
			Object.assign(this._result, shape)
			this._accumulateRows = true
		}
		super.prepare(shape ? this.prepared.undescribed : connection)
	}

	/** An execution that failed may not have been described. */
	override handleCommandComplete(message: { text: string }, connection: pg.Connection): void {
		const { shapes } = this.prepared
		if (!shapes.has(this.name) && planned.test(message.text)) shapes.set(this.name, shared(this.name, this._result))
		super.handleCommandComplete(message, connection)
	}
}

/** This shape, or an equal one of another connection. */
function shared(name: string, { fields, _parsers, _prebuiltEmptyResultObject }: RowShape): RowShape {
	const before = shapes.get(name)
	if (before && isSame(before.fields, fields)) return before
	const shape = { fields, _parsers, _prebuiltEmptyResultObject }
	shapes.set(name, shape)
	return shape
}

function isSame(some: pg.FieldDef[], others: pg.FieldDef[]): boolean {
	return (
		some.length === others.length &&
		some.every(({ name, dataTypeID }, index) => name === others[index]?.name && dataTypeID === others[index].dataTypeID)
	)
}
