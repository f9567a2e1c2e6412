import { useRef } from 'react'
import { type PictureKind, pictureWidths } from '~/lib/picture-paths.ts'
import { toast } from '~/shell/toast.ts'
import { PictureField } from './picture-field.tsx'

interface FormPictureProps {
	name: string
	label: string
	kind: PictureKind
	/** Of the picture that the form begins with, or ''. */
	path: string
	error?: string | undefined
	/** Says so after the label. */
	optional?: boolean
	/** Says that the form is not taken without a picture. */
	needed?: string
}

/** The picture of an edit form. A profile picture is cut to a square; the form is told of each change. */
export function FormPicture({ name, label, kind, path, error, optional, needed }: FormPictureProps) {
	const box = useRef<HTMLDivElement>(null)
	// The field draws it in a fixed shape, whatever its own.
	const picture = path ? { path, width: pictureWidths[kind][2], height: pictureWidths[kind][2], colour: '' } : null
	const tell = () => {
		const field = box.current?.querySelector<HTMLInputElement>(`input[name="${name}"]`)
		field?.dispatchEvent(new Event('input', { bubbles: true }))
		if (kind === 'profile' && field?.value)
			toast({ type: 'success', message: 'Profile picture uploaded successfully!' })
	}
	return (
		<div ref={box}>
			<PictureField
				name={name}
				label={label}
				kind={kind}
				value={picture}
				crop={kind === 'profile'}
				error={error}
				optional={optional}
				needed={needed}
				onChange={tell}
			/>
		</div>
	)
}
