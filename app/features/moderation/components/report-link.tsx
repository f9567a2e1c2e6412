import { type MouseEvent, type ReactNode, useEffect, useState } from 'react'
import { useFetcher } from 'react-router'
import { toast } from '~/shell/toast.ts'
import { Dialog } from '~/ui/dialog.tsx'
import { Link } from '~/ui/link.tsx'
import { busyButtonProps, Spinner } from '~/ui/submit-button.tsx'
import { ReportFormFields, type ReportRefusal } from './report-form.tsx'

interface ReportLinkProps {
	/** The page of the report, `/report/query/12`. */
	href: string
	/** What is reported: “this comment”. */
	what: string
	className: string
	label?: string
	/** Whether the reader is logged in; others are sent to the page, which asks them to log in. */
	signedIn: boolean
	children: ReactNode
}

/** A link to the page that reports something; with scripts, a dialog does it in place. */
export function ReportLink({ href, what, className, label, signedIn, children }: ReportLinkProps) {
	const [open, setOpen] = useState(false)
	const openDialog = (event: MouseEvent) => {
		if (!signedIn || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
		event.preventDefault()
		setOpen(true)
	}
	return (
		<>
			<Link className={className} to={href} rel="nofollow" aria-label={label} onClick={openDialog}>
				{children}
			</Link>
			{open && <ReportDialog href={href} what={what} onClose={() => setOpen(false)} />}
		</>
	)
}

function ReportDialog({ href, what, onClose }: { href: string; what: string; onClose: () => void }) {
	const fetcher = useFetcher<ReportRefusal | { reported: string }>()
	const { data } = fetcher
	const reported = data && 'reported' in data ? data.reported : null

	useEffect(() => {
		if (reported === null) return
		toast({ type: 'success', message: reported })
		onClose()
	}, [reported, onClose])

	return (
		<Dialog open title={`Report ${what}`} onClose={onClose}>
			<fetcher.Form method="post" action={href}>
				<input type="hidden" name="from" value="dialog" />
				<ReportFormFields refusal={data && 'message' in data ? data : null}>
					<button className="btn btn-outline" type="button" onClick={onClose}>
						Cancel
					</button>
					<button className="btn btn-primary" type="submit" {...busyButtonProps(fetcher.state !== 'idle')}>
						{fetcher.state !== 'idle' && <Spinner />}
						{fetcher.state === 'idle' ? 'Report' : 'Reporting...'}
					</button>
				</ReportFormFields>
			</fetcher.Form>
		</Dialog>
	)
}
