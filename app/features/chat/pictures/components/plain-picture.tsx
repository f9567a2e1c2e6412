import { limits } from '../../chat.limits.ts'

interface PlainPictureProps {
	/** What an earlier try sent, which was refused for another reason. */
	values: Record<string, string>
}

/** A picture for the next message, for browsers without scripts. */
export function PlainPicture({ values }: PlainPictureProps) {
	return (
		<div className="mt-2 hidden flex-wrap gap-2 text-sm noscript:flex">
			{values.picture && <input type="hidden" name="picture" value={values.picture} />}
			<label className="grid min-w-0 flex-1 gap-1">
				{values.picture ? 'Replace the picture' : 'Picture (JPG or PNG, up to 5 MB)'}
				<input className="input" type="file" name="picture_file" accept="image/jpeg,image/png" />
			</label>
			<label className="grid min-w-0 flex-1 gap-1">
				Description (optional)
				<input className="input" name="alt" maxLength={limits.altMax} defaultValue={values.alt} />
			</label>
		</div>
	)
}
