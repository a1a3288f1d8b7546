public import EMVData

// The records of a profile hold account numbers and tracks.

extension CardProfile: ContentConcealing {
  /// The name, the number of applications and of faults.
  public var description: String {
    "card profile \"\(name)\", applications: \(applications.count), faults: \(faults?.count ?? 0)"
  }
}

extension CardProfile.Application: ContentConcealing {
  /// The application identifier, the label and the number of records.
  public var description: String { "application \(aid) \"\(label)\", records: \(records.count)" }
}

extension CardProfile.Record: ContentConcealing {
  /// The place of the record and the number of its data objects.
  public var description: String { "SFI \(sfi) record \(record), data objects: \(data.count)" }
}
