import { useEffect, useId } from 'react'
import { useFetcher } from 'react-router'
import { toast } from '~/shell/toast.ts'
import { Dialog } from '~/ui/dialog.tsx'
import { busyButtonProps } from '~/ui/submit-button.tsx'
import type { ChatMessage } from '../chat.view.ts'

interface ReportDialogProps {
	message: ChatMessage
	/** The conversation's page. */
	path: string
	/** Full name of the author. */
	name: string
	onClose: () => void
}

/** Asks what is wrong with a message before it is reported. */
export function ReportDialog({ message, path, name, onClose }: ReportDialogProps) {
	const fetcher = useFetcher<{ ok?: boolean; message?: unknown }>()
	const { data } = fetcher
	const done = data?.ok === true
	useEffect(() => {
		if (!done) return
		toast({ type: 'success', message: 'Thank you. A moderator will look at it.' })
		onClose()
	}, [done, onClose])
	return (
		<Dialog open title={`Report a message of ${name}`} onClose={onClose}>
			<fetcher.Form method="post" action={path}>
				<MessageReportFields id={message.id} error={data?.ok === false ? String(data.message) : null} />
				<p className="mt-5 flex justify-end gap-2">
					<button type="button" className="btn btn-outline" onClick={onClose}>
						Cancel
					</button>
					<button
						type="submit"
						className="btn btn-danger"
						name="intent"
						value="report"
						{...busyButtonProps(fetcher.state !== 'idle')}
					>
						Report
					</button>
				</p>
			</fetcher.Form>
		</Dialog>
	)
}

/** The fields of a report; also for the page without scripts. */
export function MessageReportFields({ id, error }: { id: number; error: string | null }) {
	const field = useId()
	return (
		<>
			<p className="text-sm text-ink-2">
				Moderators will see this message and a few before it, but nothing else of your conversation.
			</p>
			<input type="hidden" name="id" value={id} />
			<div className="field mt-4">
				<label className="label" htmlFor={field}>
					What is wrong with it?
				</label>
				<textarea className="input" id={field} name="reason" rows={3} required maxLength={500} />
				{error && (
					<p className="error" role="alert">
						{error}
					</p>
				)}
			</div>
		</>
	)
}
