import { useLocalPicture } from '../client/use-pictures.ts'

interface LocalPictureProps {
	picture: { id: string }
	/** The place it takes, which is kept from the start. */
	size: { width: number; height: number }
	alt: string
	className: string
}

/** A picture that lies on this device. */
export function LocalPicture({ picture: { id }, size: { width, height }, alt, className }: LocalPictureProps) {
	const url = useLocalPicture(id)
	return <img className={`bg-sunken ${className}`} src={url ?? undefined} width={width} height={height} alt={alt} />
}
