import type { FieldDoc } from '../docs.view.ts'
import { Words } from './words.tsx'

/** Fields with their types, one under the other: readable on a phone, where a table is not. */
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
						{field.note && <Words>{`. ${field.note}`}</Words>}
					</dd>
				</div>
			))}
		</dl>
	)
}
