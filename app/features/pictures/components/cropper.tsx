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

/** A picture under a fixed square, moved by dragging, pinching and the arrow keys. Loaded by crop-dialog.tsx. */
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
			keyboardStep={8}
			cropperProps={{ role: 'group', 'aria-label': 'Part of the picture. Move it with the arrow keys.' }}
			onCropComplete={(_share, pixels) => onArea(pixels)}
			mediaProps={{ onError: onUnreadable }}
			// Its styles are part of our stylesheet, as the Content-Security-Policy forbids inline styles.
			disableAutomaticStylesInjection
		/>
	)
}
