import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import type { FormRefusal } from '~/platform/http/form.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { useFocusFallback } from '~/ui/use-focus-kept.ts'
import type { ActPreview, TermAct } from '../vocabulary.view.ts'

interface ActFormProps {
	act: TermAct
	title: string
	/** The button's label. */
	label: string
	action: string
	refusal: FormRefusal | null
	/** Names of the fields in error messages. */
	names: Record<string, string>
	children: ReactNode
}

/** The form of an action on a term. Its effect is previewed before it is carried out. */
export function ActForm({ act, title, label, action, refusal, names, children }: ActFormProps) {
	const own = ownRefusal(refusal, act)
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby={act}>
			<SectionHeading id={act} title={title} />
			<Form method="post" action={action} className="mt-2 grid gap-4" replace>
				<FormError errors={own?.errors} names={names}>
					{own?.message}
				</FormError>
				{children}
				<p>
					<SubmitButton className="btn btn-outline" action={action} name="intent" value={act}>
						{label}
					</SubmitButton>
				</p>
			</Form>
		</section>
	)
}

/** The errors of this action; null if they are another form's. */
export function ownRefusal(refusal: FormRefusal | null, act: TermAct): FormRefusal | null {
	return refusal?.values.intent === act ? refusal : null
}

const sentences: Record<TermAct, (preview: ActPreview) => string> = {
	add: ({ term }) => `Make “${term.name}” a term with the tag #${term.tag}?`,
	rename: ({ term }) => `Call this term “${term.name}”? Its tag stays #${term.tag}.`,
	'add-alias': ({ term, fields }) => `Keep “${fields.alias}” as ${term.name} from now on?`,
	'remove-alias': ({ term, fields }) => `Let “${fields.alias}” stand by itself and no longer for ${term.name}?`,
	merge: ({ term }) => `Merge this term into ${term.name}? All its spellings lead there from now on.`,
	join: ({ term, fields }) => `Keep “${fields.word}” as ${term.name} from now on?`,
	describe: ({ term }) => `Save what is said about ${term.name}?`,
}

/** The heading of a page with a preview: it gets the focus when the preview is gone. */
export function usePreviewHeading(preview: ActPreview | null): RefObject<HTMLHeadingElement | null> {
	const heading = useRef<HTMLHeadingElement>(null)
	useFocusFallback(preview, (now, before) => before !== null && now === null, heading)
	return heading
}

interface PreviewProps {
	preview: ActPreview
	action: string
	/** The address to cancel to. */
	back: string
}

/** The effect of an action, with the button that carries it out. */
export function TermActPreview({ preview, action, back }: PreviewProps) {
	const { act, fields, changes } = preview
	const section = useRef<HTMLElement>(null)
	// Scrolls here, as the button that requested it may be far below. Without scripts the page starts at the top anyway.
	useEffect(() => {
		if (preview) section.current?.focus()
	}, [preview])
	return (
		<section
			className="mt-6 max-w-[36rem] border border-line-2 bg-sunken p-4"
			aria-labelledby="preview"
			ref={section}
			tabIndex={-1}
		>
			<h2 className="font-semibold" id="preview">
				{sentences[act](preview)}
			</h2>
			<p className="mt-1 text-ink-2">
				{changes.length > 0 ? `This changes ${changes.join(', ')}.` : 'This changes no profile, project or query.'}
			</p>
			<Form method="post" action={action} className="mt-3 flex flex-wrap gap-2" replace>
				{Object.entries(fields).map(([name, value]) => (
					<input key={name} type="hidden" name={name} value={value} />
				))}
				<input type="hidden" name="confirmed" value="1" />
				<SubmitButton busyLabel="Saving..." action={action} name="intent" value={act}>
					Confirm
				</SubmitButton>
				<Link className="btn btn-ghost" to={back}>
					Cancel
				</Link>
			</Form>
		</section>
	)
}
