// The texts on the display. The English ones are those that EMV Contactless Book A gives to the identifiers.
extension CardholderMessage {
  /// The text on the display.
  public func text(in language: CardholderLanguage) -> String {
    switch language {
    case .english: texts.english
    case .german: texts.german
    case .french: texts.french
    }
  }

  private var texts: (english: String, german: String, french: String) {
    switch self {
    case .approved: ("Approved", "Zahlung erfolgt", "Paiement accepté")
    case .notAuthorised: ("Not authorised", "Zahlung abgelehnt", "Paiement refusé")
    case .enterPIN: ("Please enter your PIN", "Bitte PIN eingeben", "Saisissez votre code")
    case .welcome: ("Welcome", "Willkommen", "Bienvenue")
    case .presentCard: ("Present card", "Bitte Karte vorhalten", "Présentez votre carte")
    case .processing: ("Processing", "Bitte warten", "Traitement en cours")
    case .cardRead:
      ("Card read OK, please remove card", "Karte gelesen, bitte entfernen", "Carte lue, retirez votre carte")
    case .insertOrSwipe:
      ("Please insert or swipe card", "Bitte Karte stecken oder durchziehen", "Insérez ou glissez votre carte")
    case .presentOneCardOnly:
      ("Please present one card only", "Bitte nur eine Karte vorhalten", "Présentez une seule carte")
    case .approvedSign:
      ("Approved, please sign", "Zahlung erfolgt, bitte unterschreiben", "Paiement accepté, veuillez signer")
    case .authorising: ("Authorising, please wait", "Autorisierung, bitte warten", "Autorisation en cours, patientez")
    case .tryAnotherCard:
      (
        "Insert, swipe or try another card", "Karte stecken, durchziehen oder andere Karte verwenden",
        "Insérez, glissez ou essayez une autre carte"
      )
    case .insert: ("Please insert card", "Bitte Karte stecken", "Insérez votre carte")
    case .clear: ("", "", "")
    case .seePhone:
      ("See phone for instructions", "Bitte Hinweise auf dem Telefon beachten", "Consultez votre téléphone")
    case .presentAgain: ("Present card again", "Bitte Karte erneut vorhalten", "Présentez de nouveau votre carte")
    }
  }
}
