import { postLimits } from '~/features/questions/questions.limits.ts'
import { MAX_TAG, normalizeTag } from '~/features/tags/tags.limits.ts'
import { type CategoryView, categoriesToAskIn } from '~/features/tags/tags.view.ts'
import { useRootData } from '~/lib/root-data.ts'
import { ChipsField } from '~/ui/chips-field.tsx'
import { Checkbox, Field, Select } from '~/ui/field.tsx'
import type { AskValues } from '../asking.view.ts'
import { MarkdownEditor } from './markdown-editor.tsx'

/** The title of a question, apart from its other fields, as similar questions are shown below it. */
export function TitleField({ value, error }: { value: string; error: string | undefined }) {
	return (
		<Field
			className="input text-md font-semibold"
			label="Title"
			name="title"
			hint="One sentence that somebody with the same problem would type."
			defaultValue={value}
			error={error}
			required
			minLength={postLimits.titleMin}
			maxLength={postLimits.titleMax}
			autoComplete="off"
		/>
	)
}

interface AskFieldsProps {
	/** The initial values. */
	values: AskValues
	/** The present tags. */
	tags: string
	errors: Record<string, string>
	categories: CategoryView[]
	/** Whether the member may add pictures. */
	pictures: boolean
	/** Whether a pseudonym can be chosen: for a new question only. */
	mayHide: boolean
	onSending: (count: number) => void
}

/** Category, tags and text of a question. */
export function AskFields({ values, tags, errors, categories, pictures, mayHide, onSending }: AskFieldsProps) {
	const { viewer, reservedTags = [] } = useRootData()
	const possible = categoriesToAskIn(categories, viewer, values.category)
	const rules = tagRules(possible, reservedTags)
	return (
		<div className="grid gap-5">
			<div className="grid grid-cols-1 gap-x-4 gap-y-5 sm:grid-cols-[13rem_minmax(0,1fr)]">
				<Select label="Category" name="category" defaultValue={values.category} error={errors.category} required>
					{possible.map(({ slug, title, askers }) => (
						<option key={slug} value={slug}>
							{askers === 'verified' ? `${title} (verified students)` : title}
						</option>
					))}
				</Select>
				<ChipsField
					className="min-w-0"
					label="Tags"
					name="tags"
					aside={<span className="hint mr-auto -ml-2">up to {postLimits.tagsHint}</span>}
					source="/suggest/tags"
					defaultValue={values.tags}
					// Allows more than the limit, so that the error names it instead of tags being dropped silently.
					most={100}
					longest={MAX_TAG}
					shape={normalizeTag}
					chipClass="font-mono before:content-['#']"
					placeholder={roomFor}
					hint={noHint}
					error={errors.tags}
				/>
				{rules.length > 0 && (
					<ul className="hint col-span-full -mt-3" id="tag-rules">
						{rules.map((rule) => (
							<li key={rule} className="wrap-anywhere">
								{rule}
							</li>
						))}
					</ul>
				)}
			</div>
			<MarkdownEditor
				label="Description"
				name="description"
				defaultValue={values.description}
				tags={tags}
				most={postLimits.descriptionMax}
				error={errors.description}
				pictures={pictures}
				onSending={onSending}
			/>
			{mayHide && (
				<Checkbox
					name="pseudonym"
					defaultChecked={values.pseudonym ?? false}
					hint="Others see an invented name on this query and on your comments below it, and only the hour you wrote them. It stays out of your public profile. Moderators can look up who you are if they give a reason, and you will be told. You cannot change this later."
				>
					Ask under a pseudonym
				</Checkbox>
			)}
		</div>
	)
}

/** Sentences on required and reserved tags. */
function tagRules(categories: CategoryView[], reserved: readonly string[]): string[] {
	const needed = categories.flatMap(({ title, requiredTags: tags = [] }) =>
		tags.length === 0
			? []
			: [`“${title}” needs ${tags.length > 1 ? 'one of the tags' : 'the tag'} ${tags.join(', ')}.`],
	)
	return reserved.length === 0 ? needed : [...needed, `Only moderators set ${reserved.join(', ')}.`]
}

function roomFor(count: number): string {
	if (count === 0) return 'react, fetch, race-condition'
	return count < postLimits.tagsHint ? `${postLimits.tagsHint - count} more` : ''
}

/** No hint: a line that appears and disappears with the tags would move the button under the pointer. */
function noHint(): null {
	return null
}
