import pg from 'pg'

/** What PostgreSQL says of the rows of a statement, and how they are read. */
interface RowShape {
	fields: pg.FieldDef[]
	_parsers: unknown
	_prebuiltEmptyResultObject: unknown
}

/** What the types of `pg` leave out of its query. */
interface PgQuery extends pg.Query {
	text: string
	name: string
	values: unknown[]
	_result: RowShape
	_accumulateRows: boolean
	prepare(connection: pg.Connection): void
	handleCommandComplete(message: unknown, connection: pg.Connection): void
}

const PgQuery = pg.Query as unknown as new (text: string) => PgQuery

/** What one connection knows of the statements that it has prepared. */
export class PreparedRows {
	/** By the name of the statement. */
	readonly shapes = new Map<string, RowShape>()
	/** The same connection, on which nothing is described. */
	readonly undescribed: pg.Connection

	constructor(connection: pg.Connection) {
		this.undescribed = Object.create(connection, { describe: { value: () => {} } })
	}
}

/** Shapes of all connections: what is the same is held once. */
const shapes = new Map<string, RowShape>()

/**
 * A prepared statement that asks for the description of its rows only when a connection executes it for the first time. `pg` asks each
 * time: describing, reading the description and preparing for it take a tenth of a statement. PostgreSQL itself sees to it that the
 * description stays true, as it refuses a prepared statement whose rows would look otherwise than before.
 */
export class NamedQuery extends PgQuery {
	private readonly prepared: PreparedRows

	/**
	 * @param statement its name stands for its text
	 * @param prepared of the connection that it is sent on; it is added to
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

	/** Only what was executed to its end was described. */
	override handleCommandComplete(message: unknown, connection: pg.Connection): void {
		if (!this.prepared.shapes.has(this.name)) this.prepared.shapes.set(this.name, shared(this.name, this._result))
		super.handleCommandComplete(message, connection)
	}
}

/** This shape, or the same one of another connection. */
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
