import { useLocation } from 'react-router'
import { Link } from './link.tsx'
import { SubmitButton } from './submit-button.tsx'

/** Labels of a form's fields; the kind says how a value is shown. */
export type FieldNames = Record<string, string>

/** For fields with a choice, the labels of their values. */
export type ChoiceNames = Record<string, Record<string, string>>

interface ConflictNoticeProps {
	/** The values of the other save. */
	stored: Record<string, string>
	/** The values of this form. */
	typed: Record<string, string>
	names: FieldNames
	choices?: ChoiceNames | undefined
	/** The name and value of the button that keeps what was typed, where a page has several forms. */
	button?: { name: string; value: string }
	/** Called when the member takes the stored version, before the page is reloaded. */
	onTake?: () => void
}

/** Shown when another save happened while this form was open: both versions of the fields that differ, and the choice between them. */
export function ConflictNotice({
	stored,
	typed,
	names,
	choices = {},
	button = { name: 'choice', value: 'save' },
	onTake,
}: ConflictNoticeProps) {
	const { pathname, search } = useLocation()
	const differing = Object.keys(names).filter((name) => (stored[name] ?? '') !== (typed[name] ?? ''))
	return (
		<section
			className="rounded-md border border-marigold-line bg-marigold-wash p-4"
			aria-labelledby="conflict"
			tabIndex={-1}
			data-conflict
		>
			<h2 className="text-md font-semibold" id="conflict">
				This was changed elsewhere in the meantime
			</h2>
			<p className="mt-0.5 text-ink-2">
				{differing.length > 0
					? 'Another tab or device saved changes after you opened this page. Nothing is lost. The differences:'
					: 'Another tab or device saved the same text after you opened this page.'}
			</p>
			{differing.map((name) => (
				<div key={name} className="mt-3">
					<h3 className="label">{names[name]}</h3>
					<dl className="mt-1 grid grid-cols-1 gap-x-4 gap-y-2 sm:grid-cols-2">
						<Side title="Saved version" name={name} value={stored[name]} labels={choices[name]} />
						<Side title="You typed" name={name} value={typed[name]} labels={choices[name]} />
					</dl>
				</div>
			))}
			<div className="mt-4 flex flex-wrap gap-2">
				<SubmitButton busyLabel="Saving..." {...button}>
					Keep mine
				</SubmitButton>
				<Link className="btn btn-outline" to={`${pathname}${search}`} preventScrollReset replace onClick={onTake}>
					Use the saved version
				</Link>
			</div>
		</section>
	)
}

interface SideProps {
	title: string
	name: string
	value: string | undefined
	labels: Record<string, string> | undefined
}

function Side({ title, name, value = '', labels = {} }: SideProps) {
	return (
		<div className="min-w-0">
			<dt className="meta">{title}</dt>
			<dd className="max-h-40 overflow-y-auto whitespace-pre-wrap wrap-anywhere">
				{labels[value] ?? words(name, value)}
			</dd>
		</div>
	)
}

function words(name: string, value: string) {
	if (/^(show_|listed|public_page|noindex)/.test(name)) return value ? 'Yes' : 'No'
	if (/_image$|^profile_url$/.test(name)) return value ? 'A picture' : 'No picture'
	return value || <span className="text-ink-3">Empty</span>
}
