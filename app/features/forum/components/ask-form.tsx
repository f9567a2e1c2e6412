import { type FormEvent, useState } from 'react'
import { Form, Link, useNavigate } from 'react-router'
import type { FormRefusal } from '~/lib/http.ts'
import { toast } from '~/shell/toast.ts'
import { Field, Select, TextArea } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { limits } from '../forum.limits.ts'
import type { CategoryView } from '../forum.present.ts'
import { SimilarQuestions } from './similar-questions.tsx'

export interface AskValues {
	title: string
	description: string
	/** As typed: separated by commas. */
	tags: string
	/** Slug. */
	category: string
}

interface AskFormProps {
	/** What stands in the fields at first. */
	start: AskValues
	categories: CategoryView[]
	refusal: FormRefusal | null
	submit: string
	/** Where Cancel leads. */
	cancel: string
	/** For a visitor: the login page, which stands in place of the button. */
	login: string | null
	/** Whether to show what was asked already. */
	similar?: boolean
}

/** Title, category, tags and text of a query, for asking and for editing. */
export function AskForm({ start, categories, refusal, submit, cancel, login, similar = false }: AskFormProps) {
	const errors = refusal?.errors ?? {}
	const values = { ...start, ...refusal?.values }
	const [texts, setTexts] = useState({ title: values.title, description: values.description })
	const navigate = useNavigate()
	const leave = async (_id: number, url: string) => {
		await navigate(url)
		toast({ type: 'success', message: 'Good to hear. Your draft was discarded.' })
	}
	const keep = ({ target }: FormEvent<HTMLFormElement>) => {
		const { name, value } = target as HTMLInputElement
		if (name in texts) setTexts((before) => ({ ...before, [name]: value }))
	}
	return (
		<Form className="mt-5 grid gap-5" method="post" replace onInput={keep}>
			<FormError>{refusal?.message}</FormError>
			<Field
				className="input text-md font-semibold"
				label="Title"
				name="title"
				hint="One sentence that somebody with the same problem would type."
				defaultValue={values.title}
				error={errors.title}
				required
				minLength={limits.titleMin}
				maxLength={limits.titleMax}
				autoComplete="off"
			/>
			{similar && <SimilarQuestions className="rounded-sm bg-sunken p-3" {...texts} onSolved={leave} />}
			<div className="grid grid-cols-1 gap-x-4 gap-y-5 sm:grid-cols-[13rem_minmax(0,1fr)]">
				<Select label="Category" name="category" defaultValue={values.category} error={errors.category} required>
					{categories.map(({ slug, title }) => (
						<option key={slug} value={slug}>
							{title}
						</option>
					))}
				</Select>
				<Field
					label="Tags"
					name="tags"
					aside={<span className="hint">up to {limits.tagsHint}</span>}
					placeholder="react, fetch, race-condition"
					defaultValue={values.tags}
					error={errors.tags}
					required
					autoComplete="off"
					autoCapitalize="none"
				/>
			</div>
			<TextArea
				className="input min-h-64 py-3 font-mono sm:text-sm"
				label="Description"
				name="description"
				hint="Markdown works here. Put code between lines of three backticks."
				rows={14}
				defaultValue={values.description}
				error={errors.description}
				required
				maxLength={limits.descriptionMax}
			/>
			<div className="flex items-center justify-end gap-2 border-t border-line pt-3">
				<Link className="btn btn-ghost max-sm:flex-1" to={cancel}>
					Cancel
				</Link>
				{login === null ? (
					<SubmitButton className="btn btn-primary max-sm:flex-1" busyLabel="Saving...">
						{submit}
					</SubmitButton>
				) : (
					<Link className="btn btn-primary max-sm:flex-1" to={login}>
						Login
					</Link>
				)}
			</div>
		</Form>
	)
}
