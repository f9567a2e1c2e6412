import { useState } from 'react'
import EasyCrop from 'react-easy-crop'
import 'react-easy-crop/react-easy-crop.css'
import type { CropArea } from './upload.ts'

interface CropperProps {
	url: string
	zoom: number
	onZoom: (zoom: number) => void
	onArea: (area: CropArea) => void
	onUnreadable: () => void
}

/** The picture under a square that stays: dragging, pinching and the arrow keys move the picture. Loaded by crop-dialog.tsx. */
export default function Cropper({ url, zoom, onZoom, onArea, onUnreadable }: CropperProps) {
	const [crop, setCrop] = useState({ x: 0, y: 0 })
	return (
		<EasyCrop
			image={url}
			crop={crop}
			zoom={zoom}
			minZoom={1}
			maxZoom={4}
			aspect={1}
			onCropChange={setCrop}
			onZoomChange={onZoom}
			onCropComplete={(_share, pixels) => onArea(pixels)}
			mediaProps={{ onError: onUnreadable }}
			// Its styles come with ours: the policy of the page allows no others.
			disableAutomaticStylesInjection
		/>
	)
}
