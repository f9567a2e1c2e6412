import { X } from 'lucide-react'
import type { Sending } from './use-pictures.ts'

/** A picture on its way into a text, and the way to stop it. */
export function UploadProgress({ name, sent, waiting, cancel }: Sending) {
	return (
		<div className="flex items-center gap-2 border-t border-line py-1 pr-1 pl-3.5 text-xs text-ink-2">
			<span className="min-w-0 flex-1">
				<span className="block truncate">
					{waiting ? 'The connection failed. Trying again…' : `${name}, ${Math.round(sent * 100)}%`}
				</span>
				<progress className="block h-1 w-full accent-ivy" max={1} value={sent} aria-label={`Uploading ${name}`} />
			</span>
			<button
				type="button"
				className="icon-btn icon-btn-sm"
				aria-label={`Cancel the upload of ${name}`}
				onClick={cancel}
			>
				<X className="icon icon-sm" aria-hidden="true" />
			</button>
		</div>
	)
}
