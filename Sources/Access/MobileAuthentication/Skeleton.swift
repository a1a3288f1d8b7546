// Sources of MobileAuthentication.
