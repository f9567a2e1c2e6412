import { Fragment } from 'react'
import type { FieldDoc, OperationDoc } from '../api.view.ts'

/** The documentation of one operation, with an example call. */
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
					<CodeText>{operation.description}</CodeText>
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
			<ShellExample label={`Example: ${operation.summary}`}>{operation.curl}</ShellExample>
			<Part title="Answers">
				<ul className="mt-1">
					{operation.answers.map((answer) => (
						<li key={answer.status} className="grid grid-cols-[3rem_minmax(0,1fr)] py-0.5 text-sm text-ink-2">
							<span className="font-mono">{answer.status}</span>
							<span>
								<CodeText>{answer.text}</CodeText>{' '}
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

/** Fields with their types, as a list, which is legible on a phone. */
export function FieldList({ fields }: { fields: FieldDoc[] }) {
	return (
		<dl className="mt-2">
			{fields.map((field) => (
				<div key={field.name} className="grid gap-x-4 py-1 sm:grid-cols-[10rem_minmax(0,1fr)]">
					<dt className="font-mono text-sm wrap-anywhere">
						{field.name}
						{!field.required && <span className="font-sans text-xs text-ink-3"> optional</span>}
					</dt>
					<dd className="min-w-0 text-sm text-ink-2 wrap-anywhere">
						{field.shape ? (
							<a className="link" href={`#shape-${field.shape}`}>
								{field.type}
							</a>
						) : (
							field.type
						)}
						{field.note && <CodeText>{`. ${field.note}`}</CodeText>}
					</dd>
				</div>
			))}
		</dl>
	)
}

/** A sentence with code in backticks. */
function CodeText({ children }: { children: string }) {
	return children.split('`').map((part, index) => {
		// The parts never change places.
		const key = `${index}`
		return index % 2 === 1 ? (
			<code key={key} className="font-mono text-[0.92em]">
				{part}
			</code>
		) : (
			<Fragment key={key}>{part}</Fragment>
		)
	})
}

/** Shell commands. Focusable, so that the keyboard can scroll them. */
export function ShellExample({ label, children }: { label: string; children: string }) {
	return (
		<section className="code mt-4" aria-label={label}>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
			<pre tabIndex={0}>
				<code>{children}</code>
			</pre>
		</section>
	)
}
