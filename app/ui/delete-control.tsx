import { type MouseEvent, type ReactNode, useId, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { Form, Link } from './link.tsx'
import { SubmitButton } from './submit-button.tsx'

/** The confirmation of a deletion, and the form that deletes. */
export interface DeleteConfirmation {
	title: string
	text: string
	/** The address of the form. */
	action: string
	/** The fields of the form, above all `intent`. */
	fields: Record<string, string | number>
	/** The page that asks for confirmation without scripts. */
	href: string
}

interface DeleteControlProps {
	question: DeleteConfirmation
	className: string
	label?: string
	children: ReactNode
}

/** A link to the page that confirms a deletion; with scripts, a dialog asks in place. */
export function DeleteControl({ question, className, label, children }: DeleteControlProps) {
	const [open, setOpen] = useState(false)
	const ask = (event: MouseEvent) => {
		if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
		event.preventDefault()
		setOpen(true)
	}
	return (
		<>
			<Link className={className} to={question.href} rel="nofollow" aria-label={label} onClick={ask}>
				{children}
			</Link>
			{open && (
				<Dialog open title={question.title} onClose={() => setOpen(false)}>
					<DeleteForm question={question}>
						<button className="btn btn-outline" type="button" onClick={() => setOpen(false)}>
							Keep it
						</button>
					</DeleteForm>
				</Dialog>
			)}
		</>
	)
}

/** The confirmation as a part of the page, for readers without scripts. */
export function DeleteSection({ question, keepHref }: { question: DeleteConfirmation; keepHref: string }) {
	const id = useId()
	return (
		<section className="rounded-md border border-line-2 bg-raised p-5" aria-labelledby={id}>
			<h2 id={id} className="text-lg font-semibold wrap-anywhere">
				{question.title}
			</h2>
			<DeleteForm question={question}>
				<Link className="btn btn-outline" to={keepHref}>
					Keep it
				</Link>
			</DeleteForm>
		</section>
	)
}

function DeleteForm({ question, children }: { question: DeleteConfirmation; children: ReactNode }) {
	const box = Object.values(question.fields).join('-')
	return (
		<Form method="post" action={question.action} replace>
			<p className="text-base text-ink-2">{question.text}</p>
			{Object.entries(question.fields).map(([name, value]) => (
				<input key={name} type="hidden" name={name} value={value} />
			))}
			<div className="mt-5 flex justify-end gap-2">
				{children}
				<SubmitButton
					className="btn btn-danger"
					busyLabel="Deleting..."
					action={question.action}
					name="box"
					value={box}
				>
					Delete
				</SubmitButton>
			</div>
		</Form>
	)
}
