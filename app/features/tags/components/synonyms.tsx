import type { FormRefusal } from '~/platform/http/form.ts'
import { Field } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { MAX_TAG } from '../tags.limits.ts'
import { tagPath } from '../tags.view.ts'

interface SynonymsProps {
	synonyms: { main: string; names: string[] }[]
	refusal: FormRefusal | null
}

/** Synonyms of tags, for moderators: a form that adds one, and the list with buttons to remove them. */
export function Synonyms({ synonyms, refusal }: SynonymsProps) {
	const total = synonyms.reduce((sum, { names }) => sum + names.length, 0)
	return (
		<section className="mt-10" aria-labelledby="synonyms">
			<SectionHeading id="synonyms" title="Synonyms">
				<span>{total}</span>
			</SectionHeading>
			<p className="text-ink-2">
				A synonym leads to its main tag. Merging two tags moves the queries of the first to the second.
			</p>
			<AddForm refusal={refusal} />
			<SynonymList synonyms={synonyms} />
		</section>
	)
}

function AddForm({ refusal }: { refusal: FormRefusal | null }) {
	return (
		<Form method="post" className="mt-4 grid gap-3" preventScrollReset>
			<FormError errors={refusal?.errors} names={{ name: 'Synonym', main: 'Main tag' }}>
				{refusal?.message}
			</FormError>
			<div className="grid items-start gap-3 sm:grid-cols-2">
				<Field
					label="Synonym"
					name="name"
					id="synonym-name"
					required
					maxLength={MAX_TAG}
					autoCapitalize="none"
					defaultValue={refusal?.values.name ?? ''}
					error={refusal?.errors.name}
				/>
				<Field
					label="Main tag"
					name="main"
					id="synonym-main"
					required
					maxLength={MAX_TAG}
					autoCapitalize="none"
					defaultValue={refusal?.values.main ?? ''}
					error={refusal?.errors.main}
				/>
			</div>
			<p>
				<SubmitButton busyLabel="Joining..." className="btn btn-outline" name="intent" value="join">
					Merge tags
				</SubmitButton>
			</p>
		</Form>
	)
}

/** The main tags, each with buttons that make its synonyms tags of their own. */
function SynonymList({ synonyms }: { synonyms: SynonymsProps['synonyms'] }) {
	return (
		<Form method="post" className="mt-6" preventScrollReset>
			<input type="hidden" name="intent" value="part" />
			<dl>
				{synonyms.map(({ main, names }) => (
					<div key={main} className="grid gap-x-4 border-b border-line py-1.5 sm:grid-cols-[12rem_1fr]">
						<dt className="min-w-0 truncate">
							<Link className="tag inline-block py-1" to={tagPath(main)}>
								{main}
							</Link>
						</dt>
						<dd className="flex min-w-0 flex-wrap gap-1.5">
							{names.map((name) => (
								<button
									key={name}
									className="chip"
									type="submit"
									name="name"
									value={name}
									aria-label={`Separate ${name} from ${main}`}
									title="Make it a tag of its own"
								>
									{name} <span aria-hidden="true">×</span>
								</button>
							))}
						</dd>
					</div>
				))}
			</dl>
		</Form>
	)
}
