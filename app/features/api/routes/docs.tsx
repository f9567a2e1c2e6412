import { pageMeta } from '~/lib/page-meta.ts'
import { RuleHead } from '~/ui/rule-head.tsx'
import { FieldList } from '../components/field-list.tsx'
import { Introduction } from '../components/introduction.tsx'
import { OperationEntry } from '../components/operation-entry.tsx'
import { ownDocs } from '../docs.server.ts'
import type { Route } from './+types/docs'

export function loader() {
	return ownDocs()
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
						<RuleHead id={group.id} title={group.name}>
							<span>{group.operations.length}</span>
						</RuleHead>
						{group.operations.map((operation) => (
							<OperationEntry key={operation.id} operation={operation} />
						))}
					</section>
				))}
				<section className="mt-10" aria-labelledby="shapes">
					<RuleHead id="shapes" title="Shapes" />
					{docs.shapes.map((shape) => (
						<div key={shape.name} id={`shape-${shape.name}`} className="border-b border-line py-5">
							<h3 className="font-mono text-sm font-semibold">{shape.name}</h3>
							<FieldList fields={shape.fields} />
						</div>
					))}
				</section>
			</div>
			<nav className="max-lg:hidden" aria-label="On this page">
				<RuleHead title="On this page" />
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
