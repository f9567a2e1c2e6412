/* The part of OpenAPI 3.1 that our description uses. */

export interface Schema {
	$ref?: string
	type?: string | string[]
	description?: string
	properties?: Record<string, Schema>
	required?: string[]
	additionalProperties?: boolean | Schema
	items?: Schema
	anyOf?: Schema[]
	enum?: unknown[]
	format?: string
	default?: unknown
	minimum?: number
	maximum?: number
	minLength?: number
	maxLength?: number
	[keyword: string]: unknown
}

export interface DocumentedOperation {
	operationId: string
	tags: string[]
	summary: string
	description?: string
	security: Record<string, string[]>[]
	parameters: {
		name: string
		in: 'path' | 'query' | 'header'
		/** False if omitted. */
		required?: boolean
		description?: string
		schema: Schema
	}[]
	requestBody?: { required: true; content: Record<string, { schema: Schema; example?: unknown }> }
	responses: Record<
		string,
		{
			description: string
			headers?: Record<string, { description: string; schema: Schema }>
			content?: Record<string, { schema: Schema }>
		}
	>
}

export interface ApiDocument {
	openapi: string
	info: { title: string; version: string; description: string }
	servers: { url: string }[]
	tags: { name: string }[]
	paths: Record<string, Record<string, DocumentedOperation>>
	components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> }
}

/* The human-readable documentation, generated from the description. */

export interface FieldDoc {
	name: string
	/** In plain English: “text”, “list of QueryCard”. */
	type: string
	/** The schema that the type mentions; it is on the page. */
	shape: string | null
	required: boolean
	note: string
}

export interface OperationDoc {
	id: string
	method: string
	path: string
	summary: string
	description: string
	/** “Open to everybody”, “For members”. */
	access: string
	/** The scope that a token needs. */
	scope: string
	parameters: FieldDoc[]
	body: FieldDoc[]
	answers: { status: string; text: string; shape: string | null }[]
	curl: string
}

export interface ApiDocs {
	groups: { name: string; id: string; operations: OperationDoc[] }[]
	shapes: { name: string; fields: FieldDoc[] }[]
	/** Requests per minute. */
	rates: { read: number; write: number }
	base: string
}
