// The texts on the display. The English ones are those that EMV Contactless Book A gives to the identifiers.
extension CardholderMessage {
  /// The text on the display.
  public func text(in language: CardholderLanguage) -> String {
    switch language {
    case .english: english
    case .german: german
    case .french: french
    }
  }

  private var english: String {
    switch self {
    case .approved: "Approved"
    case .notAuthorised: "Not authorised"
    case .enterPIN: "Please enter your PIN"
    case .welcome: "Welcome"
    case .presentCard: "Present card"
    case .processing: "Processing"
    case .cardRead: "Card read OK, please remove card"
    case .insertOrSwipe: "Please insert or swipe card"
    case .presentOneCardOnly: "Please present one card only"
    case .approvedSign: "Approved, please sign"
    case .authorising: "Authorising, please wait"
    case .tryAnotherCard: "Insert, swipe or try another card"
    case .insert: "Please insert card"
    case .clear: ""
    case .seePhone: "See phone for instructions"
    case .presentAgain: "Present card again"
    }
  }

  private var german: String {
    switch self {
    case .approved: "Zahlung erfolgt"
    case .notAuthorised: "Zahlung abgelehnt"
    case .enterPIN: "Bitte PIN eingeben"
    case .welcome: "Willkommen"
    case .presentCard: "Bitte Karte vorhalten"
    case .processing: "Bitte warten"
    case .cardRead: "Karte gelesen, bitte entfernen"
    case .insertOrSwipe: "Bitte Karte stecken oder durchziehen"
    case .presentOneCardOnly: "Bitte nur eine Karte vorhalten"
    case .approvedSign: "Zahlung erfolgt, bitte unterschreiben"
    case .authorising: "Autorisierung, bitte warten"
    case .tryAnotherCard: "Karte stecken, durchziehen oder andere Karte verwenden"
    case .insert: "Bitte Karte stecken"
    case .clear: ""
    case .seePhone: "Bitte Hinweise auf dem Telefon beachten"
    case .presentAgain: "Bitte Karte erneut vorhalten"
    }
  }

  private var french: String {
    switch self {
    case .approved: "Paiement accepté"
    case .notAuthorised: "Paiement refusé"
    case .enterPIN: "Saisissez votre code"
    case .welcome: "Bienvenue"
    case .presentCard: "Présentez votre carte"
    case .processing: "Traitement en cours"
    case .cardRead: "Carte lue, retirez votre carte"
    case .insertOrSwipe: "Insérez ou glissez votre carte"
    case .presentOneCardOnly: "Présentez une seule carte"
    case .approvedSign: "Paiement accepté, veuillez signer"
    case .authorising: "Autorisation en cours, patientez"
    case .tryAnotherCard: "Insérez, glissez ou essayez une autre carte"
    case .insert: "Insérez votre carte"
    case .clear: ""
    case .seePhone: "Consultez votre téléphone"
    case .presentAgain: "Présentez de nouveau votre carte"
    }
  }
}
