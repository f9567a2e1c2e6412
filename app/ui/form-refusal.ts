import { useEffect } from 'react'
import type { FormRefusal } from '~/platform/http/http.ts'
import { toast } from '~/shell/toast.ts'

/**
 * Says in a toast why a form was refused, unless one field says it. Without scripts the box above the form says it alone.
 * @param refusal what the action answered; undefined before the form was sent
 */
export function useRefusalToast(refusal: FormRefusal | undefined): void {
	useEffect(() => {
		if (!refusal || Object.keys(refusal.errors).length === 1) return
		toast({ type: 'error', message: refusal.message.replace(/ \[[A-Z_]+\]/g, '') })
	}, [refusal])
}
