// Sources of AccessMessages.
