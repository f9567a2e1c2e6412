import type { OperationDoc } from '../docs.view.ts'
import { FieldList } from './field-list.tsx'
import { Shell } from './shell.tsx'
import { Words } from './words.tsx'

/** One operation: what it does, what it takes, what it answers, and a call to paste. */
export function OperationEntry({ operation }: { operation: OperationDoc }) {
	return (
		<article id={operation.id} className="border-b border-line py-6">
			<h3 className="text-lg font-semibold">{operation.summary}</h3>
			<p className="mt-1 font-mono text-sm wrap-anywhere">
				<span className="text-ivy">{operation.method}</span> {operation.path}
			</p>
			<p className="meta mt-1">
				{operation.access}; a token needs <code className="font-mono">{operation.scope}</code>
			</p>
			{operation.description && (
				<p className="mt-2 max-w-read text-ink-2">
					<Words>{operation.description}</Words>
				</p>
			)}
			{operation.parameters.length > 0 && (
				<Part title="Parameters">
					<FieldList fields={operation.parameters} />
				</Part>
			)}
			{operation.body.length > 0 && (
				<Part title="Body">
					<FieldList fields={operation.body} />
				</Part>
			)}
			<Shell label={`Example: ${operation.summary}`}>{operation.curl}</Shell>
			<Part title="Answers">
				<ul className="mt-1">
					{operation.answers.map((answer) => (
						<li key={answer.status} className="grid grid-cols-[3rem_minmax(0,1fr)] py-0.5 text-sm text-ink-2">
							<span className="font-mono">{answer.status}</span>
							<span>
								<Words>{answer.text}</Words>{' '}
								{answer.shape && answer.shape !== 'Problem' && (
									<a className="link" href={`#shape-${answer.shape}`}>
										{answer.shape}
									</a>
								)}
							</span>
						</li>
					))}
				</ul>
			</Part>
		</article>
	)
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
	return (
		<div className="mt-4">
			<h4 className="label">{title}</h4>
			{children}
		</div>
	)
}
