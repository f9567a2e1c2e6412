import { type Attributes, context, diag, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { config } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { version } from '~/lib/version.ts'

/*
 * Traces for OpenTelemetry, on a site with OTEL_EXPORTER_OTLP_ENDPOINT: what a request, a socket event or a job did, and how long
 * each statement took. Spans are begun manually, as automatic instrumentation cannot wrap a server that is one bundle. Names and
 * attributes must not hold what members or visitors wrote, or who they are, as for metrics.
 */

/** Milliseconds to export the last spans when the process stops. */
const FLUSH_TIMEOUT_MS = 1_500
/** Milliseconds between two log lines about a collector that does not answer. */
const COMPLAINT_INTERVAL_MS = 600_000
/** Maximum characters of a statement in a span. */
const MAX_STATEMENT_LENGTH = 2_000

const state = remember<{ stop?: () => Promise<void> }>('tracing', () => ({}))

/** Whether OTEL_EXPORTER_OTLP_ENDPOINT is set; nothing is traced without it. */
export function areTracesOn(): boolean {
	return config().OTEL_EXPORTER_OTLP_ENDPOINT !== undefined
}

/** Starts exporting spans, if there is a collector. The exporter reads further settings, such as headers, from the standard variables. */
export async function startTracing(): Promise<void> {
	if (!areTracesOn() || state.stop) return
	const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER_ARG } = config()
	const [sdk, { AsyncLocalStorageContextManager }, { OTLPTraceExporter }, { resourceFromAttributes }] =
		await Promise.all([
			import('@opentelemetry/sdk-trace'),
			import('@opentelemetry/context-async-hooks'),
			import('@opentelemetry/exporter-trace-otlp-http'),
			import('@opentelemetry/resources'),
		])
	diag.setLogger({ error: complain, warn: complain, info: () => {}, debug: () => {}, verbose: () => {} })
	const url = `${OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/$/, '')}/v1/traces`
	const provider = new sdk.TracerProvider({
		resource: resourceFromAttributes({ 'service.name': OTEL_SERVICE_NAME, 'service.version': version.number }),
		sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(OTEL_TRACES_SAMPLER_ARG) }),
		spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
	})
	context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
	trace.setGlobalTracerProvider(provider)
	state.stop = async () => {
		const late = new Promise((resolve) => setTimeout(resolve, FLUSH_TIMEOUT_MS).unref())
		await Promise.race([provider.shutdown().catch(() => {}), late])
	}
}

/** Exports the remaining spans, for 1.5 seconds at most. */
export async function stopTracing(): Promise<void> {
	await state.stop?.()
}

/**
 * Runs work in a new root span; spans of that work are its descendants.
 * @param name one of few values, known to the code
 * @param work gets the span, null on a site without traces; it ends the span itself, by {@link endSpan}
 */
export function inRootSpan<Result>(
	name: string,
	kind: 'server' | 'consumer',
	attributes: Attributes,
	work: (span: Span | null) => Result,
): Result {
	if (!state.stop) return work(null)
	const options = { kind: kind === 'server' ? SpanKind.SERVER : SpanKind.CONSUMER, root: true, attributes }
	return trace.getTracer('devquad').startActiveSpan(name, options, work)
}

/** Runs work of a job or the like in a span that ends with it. @throws whatever the work throws */
export function inSpan<Result>(name: string, attributes: Attributes, work: () => Promise<Result>): Promise<Result> {
	return inRootSpan(name, 'consumer', attributes, async (span) => {
		try {
			const result = await work()
			if (span) endSpan(span)
			return result
		} catch (error) {
			if (span) endSpan(span, error)
			throw error
		}
	})
}

/** Ends a span. @param error why the work failed, if it did: its name and code are exported, but not its message, which may quote a member */
export function endSpan(span: Span, error?: unknown): void {
	if (error !== undefined) {
		const { name = 'Error', code } = error as { name?: string; code?: unknown }
		span.setAttribute('error.type', typeof code === 'string' ? code : name)
		span.setStatus({ code: SpanStatusCode.ERROR })
	}
	span.end()
}

/**
 * Begins the span of a statement within the current one; outside of any span there is none.
 * @param text of the statement
 * @param hasValues whether values are separate parameters; if not, only the kind of statement is exported
 */
export function beginStatement(text: string, hasValues: boolean): Span | null {
	if (!state.stop || !trace.getActiveSpan()?.isRecording()) return null
	const operation = /^\s*(?:\/\*.*?\*\/\s*)?([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? 'SQL'
	const attributes = {
		'db.system.name': 'postgresql',
		'db.operation.name': operation,
		...(hasValues && { 'db.query.text': text.replace(/\s+/g, ' ').trim().slice(0, MAX_STATEMENT_LENGTH) }),
	}
	return trace.getTracer('devquad').startSpan(operation, { kind: SpanKind.CLIENT, attributes })
}

let complainedAt = Number.NEGATIVE_INFINITY

function complain(message: string): void {
	if (performance.now() - complainedAt < COMPLAINT_INTERVAL_MS) return
	complainedAt = performance.now()
	log.warn({ from: 'opentelemetry' }, `traces could not be sent: ${message.slice(0, 200)}`)
}
