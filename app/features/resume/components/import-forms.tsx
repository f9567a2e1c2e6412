import { academicsNames } from '~/features/profile-editor/components/academics-fields.tsx'
import { certificateNames } from '~/features/profile-editor/components/certificate-fields.tsx'
import { experienceNames } from '~/features/profile-editor/components/experience-fields.tsx'
import { personalNames } from '~/features/profile-editor/components/personal-fields.tsx'
import { projectNames } from '~/features/profile-editor/components/project-fields.tsx'
import { socialNames } from '~/features/profile-editor/components/social-fields.tsx'
import { pluralize } from '~/lib/text.ts'
import { Field, TextArea } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import type { ImportedResumePreview } from '../import/import.server.ts'
import type { Change, Difference } from '../import/plan.ts'

const parts = [
	{ part: 'personal', title: 'Personal Details' },
	{ part: 'academics', title: 'Academics' },
	{ part: 'experiences', title: 'Experience' },
	{ part: 'social', title: 'Social Links' },
	{ part: 'certificates', title: 'Certificates' },
	{ part: 'projects', title: 'Projects' },
] as const

const names: Record<string, string> = {
	...academicsNames,
	...personalNames,
	...socialNames,
	...experienceNames,
	...certificateNames,
	...projectNames,
}

/** The changes of an import, each with a checkbox, and what cannot be imported. */
export function ImportPreview({ preview, message }: { preview: ImportedResumePreview; message: string }) {
	const { changes, unsaved, more, document, fingerprint } = preview
	return (
		<>
			<Form method="post" encType="multipart/form-data" className="mt-6 grid gap-8">
				<FormError>{message}</FormError>
				<input type="hidden" name="intent" value="apply" />
				<input type="hidden" name="document" value={document} />
				<input type="hidden" name="fingerprint" value={fingerprint} />
				{changes.length === 0 && (
					<p className="text-ink-2">Your profile already has all of this. There is nothing to import.</p>
				)}
				{parts.map(({ part, title }) => (
					<Part key={part} id={part} title={title} changes={changes.filter((change) => change.part === part)} />
				))}
				<p className="flex flex-wrap items-center gap-2">
					{changes.length > 0 && (
						<SubmitButton className="btn btn-primary" busyLabel="Importing...">
							Import selected
						</SubmitButton>
					)}
					<Link className="btn btn-outline" to="." reloadDocument>
						{changes.length > 0 ? 'Cancel' : 'Choose another'}
					</Link>
				</p>
			</Form>
			{unsaved.length > 0 && (
				<section className="mt-10" aria-labelledby="unkept">
					<SectionHeading id="unkept" title="Not imported" />
					<dl className="mt-2 grid gap-x-6 text-sm sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
						{unsaved.map(({ path, reason }, index) => (
							// biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and a document may say a thing twice
							<div key={index} className="col-span-full grid grid-cols-subgrid gap-x-6 border-b border-line py-1.5">
								<dt className="font-mono text-xs leading-5 wrap-anywhere">{path}</dt>
								<dd className="text-ink-2 wrap-anywhere">{reason}</dd>
							</div>
						))}
					</dl>
					{more > 0 && <p className="meta mt-2">And {pluralize(more, 'more place', 'more places')}.</p>}
				</section>
			)}
		</>
	)
}

function Part({ id, title, changes }: { id: string; title: string; changes: Change[] }) {
	if (changes.length === 0) return null
	return (
		<fieldset className="min-w-0">
			<legend className="rule-head w-full">
				<span>{title}</span>
				<span>{pluralize(changes.length, 'change')}</span>
			</legend>
			<ul id={`import-${id}`}>
				{changes.map((change) => (
					<li key={change.id} className="border-b border-line py-3">
						<label className="check" htmlFor={change.id}>
							<input
								className="check-box"
								type="checkbox"
								id={change.id}
								name="change"
								value={change.id}
								defaultChecked
							/>
							<span className="min-w-0 font-medium wrap-anywhere">
								{change.title || names[change.differences[0]?.field ?? '']}
								{change.kind !== 'set' && <span className="font-normal text-ink-3"> {kinds[change.kind]}</span>}
							</span>
						</label>
						<dl className="mt-1 grid gap-1 pl-6.5 text-sm">
							{change.differences.filter(isNews).map((difference) => (
								<Shown key={difference.field} difference={difference} named={change.kind !== 'set'} />
							))}
						</dl>
					</li>
				))}
			</ul>
		</fieldset>
	)
}

/** The title of an item is shown above already. */
const isNews = ({ field, before }: Difference) =>
	before !== '' || !(field.endsWith('_title') || ['kind', 'organisation'].includes(field))

const kinds = { add: 'is added', replace: 'is replaced' }

/** The old value above the new one, both labelled in words, so that the meaning does not depend on colour. */
function Shown({ difference: { field, before, after }, named }: { difference: Difference; named: boolean }) {
	return (
		<div className="min-w-0 wrap-anywhere">
			<dt className={named ? 'text-xs text-ink-3' : 'sr-only'}>{names[field]}</dt>
			{before !== '' && (
				<dd className="line-clamp-4 whitespace-pre-line text-ink-3">
					<span className="sr-only">now: </span>
					<del>{before}</del>
				</dd>
			)}
			<dd className="line-clamp-4 whitespace-pre-line text-ink">
				{before !== '' && <span className="sr-only">then: </span>}
				{after}
			</dd>
		</div>
	)
}

interface ImportFormProps {
	message: string
	errors: Record<string, string>
	/** What was pasted before an error. */
	text: string
}

/** Uploads a résumé, as a file or as text. */
export function ImportForm({ message, errors, text }: ImportFormProps) {
	return (
		<Form method="post" encType="multipart/form-data" className="mt-6 grid gap-5">
			<FormError errors={errors} names={{ document: 'The résumé', file: 'File' }}>
				{message}
			</FormError>
			<Field
				label="File"
				name="file"
				type="file"
				accept=".json,application/json"
				hint="At most 1 MB."
				error={errors.file ?? errors.document}
			/>
			<TextArea
				label="Or paste its text"
				name="text"
				defaultValue={text}
				rows={8}
				spellCheck={false}
				placeholder='{ "basics": { "name": "…" } }'
			/>
			<p>
				<SubmitButton className="btn btn-primary" busyLabel="Reading...">
					Preview
				</SubmitButton>
			</p>
		</Form>
	)
}
