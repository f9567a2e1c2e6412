import { ZoomIn, ZoomOut } from 'lucide'
import { Suspense, useEffect, useState } from 'react'
import { lazyWithRetry } from '~/shell/guarded.ts'
import { Dialog } from '~/ui/dialog.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Spinner } from '~/ui/submit-button.tsx'
import type { CropArea } from './upload.ts'

/** Loaded on demand, 12 KB. */
const Cropper = lazyWithRetry(() => import('./cropper.tsx'))

interface CropDialogProps {
	/** The chosen file; null closes the dialog. */
	file: File | null
	onDone: (file: File, crop: CropArea) => void
	onClose: () => void
	/** Called if the browser cannot decode the file. */
	onUnreadable: () => void
}

/** Lets the member choose the square that a picture is cropped to. */
export function CropDialog({ file, onClose, ...others }: CropDialogProps) {
	return (
		<Dialog open={file !== null} onClose={onClose} title="Choose the part to show">
			{file && <Crop file={file} onClose={onClose} {...others} />}
		</Dialog>
	)
}

/** The content of the dialog for one file: another one starts without the zoom and the area of the last. */
function Crop({ file, onDone, onClose, onUnreadable }: CropDialogProps & { file: File }) {
	const url = useObjectUrl(file)
	const [zoom, setZoom] = useState(1)
	const [area, setArea] = useState<CropArea | null>(null)
	return (
		<>
			<div className="relative h-72 overflow-clip rounded-md bg-sunken">
				{url && (
					<Suspense fallback={<Spinner />}>
						<Cropper url={url} zoom={zoom} onZoom={setZoom} onArea={setArea} onUnreadable={onUnreadable} />
					</Suspense>
				)}
			</div>
			<label className="mt-4 flex items-center gap-3">
				<Icon of={ZoomOut} className="flex-none text-ink-3" />
				<span className="sr-only">Zoom</span>
				<input
					className="h-6 w-full accent-ivy"
					type="range"
					min={1}
					max={4}
					step={0.05}
					value={zoom}
					onChange={(event) => setZoom(event.currentTarget.valueAsNumber)}
				/>
				<Icon of={ZoomIn} className="flex-none text-ink-3" />
			</label>
			<div className="mt-5 flex gap-2">
				<button type="button" className="btn btn-primary" disabled={!area} onClick={() => area && onDone(file, area)}>
					Save picture
				</button>
				<button type="button" className="btn btn-ghost" onClick={onClose}>
					Cancel
				</button>
			</div>
		</>
	)
}

function useObjectUrl(file: File): string | null {
	const [url, setUrl] = useState<string | null>(null)
	useEffect(() => {
		const made = URL.createObjectURL(file)
		setUrl(made)
		return () => URL.revokeObjectURL(made)
	}, [file])
	return url
}
