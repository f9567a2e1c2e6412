import type { RefObject } from 'react'
import type { FormRefusal } from '~/platform/http/form.ts'
import { ConflictNotice } from '~/ui/conflict-notice.tsx'
import { Field, Select, TextArea } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import {
	askersChoices,
	type CategoryDetail,
	MAX_CATEGORY_DESCRIPTION,
	MAX_CATEGORY_SLUG,
	MAX_CATEGORY_TITLE,
} from '../categories/categories.view.ts'

const names = {
	title: 'Name',
	slug: 'Address',
	description: 'Description',
	requiredTags: 'Required tags',
	asking: 'Who may ask',
}

interface CategoryFormProps {
	action: string
	/** The stored values; null for a new one. */
	category: CategoryDetail | null
	refusal: FormRefusal | null
	form?: RefObject<HTMLFormElement | null>
}

/** The form of a category: name, slug, description and who may ask. */
export function CategoryForm({ action, category, refusal, form }: CategoryFormProps) {
	const start = category ?? { title: '', slug: '', description: '', asking: 'everybody', requiredTags: '' }
	const value = (name: keyof typeof names) => refusal?.values[name] ?? start[name]
	const of = (name: keyof typeof names) => ({
		name,
		label: names[name],
		defaultValue: value(name),
		error: refusal?.errors[name],
	})
	const version = refusal?.stored?.version ?? refusal?.values.version ?? category?.version
	return (
		<Form ref={form} method="post" action={action} className="mt-4 grid max-w-[36rem] gap-5" replace>
			{refusal?.stored ? (
				<ConflictNotice
					stored={refusal.stored.values}
					typed={refusal.values}
					names={names}
					choices={{ asking: Object.fromEntries(askersChoices.map(({ value: choice, label }) => [choice, label])) }}
					button={{ name: 'intent', value: 'save' }}
				/>
			) : (
				<FormError errors={refusal?.errors} names={names}>
					{refusal?.message}
				</FormError>
			)}
			{version !== undefined && <input type="hidden" name="version" value={version} />}
			<Field {...of('title')} required maxLength={MAX_CATEGORY_TITLE} />
			<Field
				{...of('slug')}
				maxLength={MAX_CATEGORY_SLUG}
				autoCapitalize="none"
				spellCheck={false}
				readOnly={category?.isFallback}
				hint={
					category
						? 'The last part of /forum/category/… The former address will always redirect to the new one.'
						: 'The last part of /forum/category/… If you leave it empty, it is made from the name.'
				}
			/>
			<TextArea {...of('description')} rows={3} maxLength={MAX_CATEGORY_DESCRIPTION} hint="Shown on its page." />
			<Field
				{...of('requiredTags')}
				autoCapitalize="none"
				spellCheck={false}
				readOnly={category?.isFallback}
				hint="A query there needs one of them, such as linux, windows, macos. If you leave it empty, any tag will do."
			/>
			<Select {...of('asking')}>
				{askersChoices.map(({ value: choice, label }) => (
					<option key={choice} value={choice}>
						{label}
					</option>
				))}
			</Select>
			<p>
				<SubmitButton busyLabel="Saving..." action={action} name="intent" value="save">
					{category ? 'Save' : 'Add category'}
				</SubmitButton>
			</p>
		</Form>
	)
}
