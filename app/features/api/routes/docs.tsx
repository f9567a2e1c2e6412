import { pageMeta } from '~/lib/page-meta.ts'
import { Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import type { ApiDocs } from '../api.view.ts'
import { FieldList, OperationEntry, ShellExample } from '../components/operation-entry.tsx'
import { siteApiDocs } from '../docs.server.ts'
import type { Route } from './+types/docs'

export function loader() {
	return siteApiDocs()
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, {
		title: 'API',
		description: 'The forum as JSON: every address, what it takes and what it answers, with examples.',
		canonical: '/api/docs',
	})
}

export default function Docs({ loaderData: docs }: Route.ComponentProps) {
	return (
		<div className="grid gap-x-16 pt-6 md:pt-8 lg:grid-cols-[minmax(0,1fr)_15.5rem]">
			<div className="min-w-0">
				<h1 className="text-2xl leading-9 font-bold">API</h1>
				<Introduction base={docs.base} rates={docs.rates} />
				{docs.groups.map((group) => (
					<section key={group.id} className="mt-10" aria-labelledby={group.id}>
						<SectionHeading id={group.id} title={group.name}>
							<span>{group.operations.length}</span>
						</SectionHeading>
						{group.operations.map((operation) => (
							<OperationEntry key={operation.id} operation={operation} />
						))}
					</section>
				))}
				<section className="mt-10" aria-labelledby="shapes">
					<SectionHeading id="shapes" title="Shapes" />
					{docs.shapes.map((shape) => (
						<div key={shape.name} id={`shape-${shape.name}`} className="border-b border-line py-5">
							<h3 className="font-mono text-sm font-semibold">{shape.name}</h3>
							<FieldList fields={shape.fields} />
						</div>
					))}
				</section>
			</div>
			<nav className="max-lg:hidden" aria-label="On this page">
				<SectionHeading title="On this page" />
				{docs.groups.map((group) => (
					<ul key={group.id} className="border-b border-line py-2">
						{group.operations.map(({ id, method, path }) => (
							<li key={id}>
								<a className="side-link" href={`#${id}`}>
									<span className="w-14 shrink-0 font-mono text-xs text-ink-3">{method}</span>
									<span className="min-w-0 wrap-anywhere">{path}</span>
								</a>
							</li>
						))}
					</ul>
				))}
			</nav>
		</div>
	)
}

/** What applies to all operations. */
function Introduction({ base, rates }: Pick<ApiDocs, 'base' | 'rates'>) {
	return (
		<div className="prose mt-2 max-w-[44rem]">
			<p>
				The forum and your own messages as JSON, below <code>{base}</code>. As an OpenAPI description:{' '}
				<a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1).
			</p>
			<p>
				What every visitor sees can be read without a login. For everything else create an{' '}
				<Link to="/settings/tokens">access token</Link> and send it with each call:
			</p>
			<ShellExample label="Example: a call with a token">{`export DEVQUAD_TOKEN=dq_…\ncurl -H "Authorization: Bearer $DEVQUAD_TOKEN" ${base}/me`}</ShellExample>
			<ul>
				<li>
					A token with <code>read</code> sees what you see; with <code>write</code> it asks, comments and edits your
					posts; with <code>moderate</code> it also has your rights as a moderator. Your conversations need{' '}
					<code>messages:read</code> or <code>messages:write</code>. No permission includes another.
				</li>
				<li>
					Lists have a <code>next</code>: send it back as <code>cursor</code> for the next page, or follow the{' '}
					<code>Link</code> header. At the end it is null.
				</li>
				<li>
					Errors are <code>application/problem+json</code> with the status, a sentence in <code>detail</code>, and for
					forms a message for each field in <code>errors</code>.
				</li>
				<li>
					A member, or an address without a login, has {rates.read} calls that read and {rates.write} that write each
					minute. <code>RateLimit</code> says how many are left; after a 429, wait <code>Retry-After</code> seconds.
				</li>
				<li>
					Answers have an <code>ETag</code>: send it as <code>If-None-Match</code> to get a short 304 if nothing has
					changed.
				</li>
			</ul>
		</div>
	)
}
