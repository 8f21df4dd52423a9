"""What ``help(score)`` says of parameters; by ``python -m keyphrase_metrics.publishing.cards``."""

SHARED_PARAMETERS = """
    Parameters for ``**shared``:
        preset: values for several parameters under one name; a parameter named beside it wins
            (keyphrase_diversity, keyphrase_f1, keyphrase_ndcg, r_precision, sem_f1).
        lowercase: match without regard to case.
        marks: make one of quotes, hyphens and minus signs that are typed in several ways, or keep them apart.
        hyphens: keep hyphens, or turn them into spaces first.
        punctuation: keep tokens without a letter or digit, or leave them out.
        tokenizer: how a phrase is cut into tokens.
        stemmer: how a token is stemmed.
        stemmed: which phrases are given as stems already, and are not stemmed again.
        deduplicate: drop a phrase whose stems came before in its list.
        on_empty: what a document without references does: score 0, be left out, fail.
        encoder: what turns a phrase into a vector (fem_kp, keyphrase_diversity, keyphrase_ndcg, sem_f1,
            semr_p).
        revision: revision of the encoder on the Hub (fem_kp, keyphrase_diversity, keyphrase_ndcg, sem_f1,
            semr_p).
        device: where the encoder runs (fem_kp, keyphrase_bertscore, keyphrase_diversity, keyphrase_ndcg,
            sem_f1, semr_p).
        batch_size: phrases that go through the encoder at once (fem_kp, keyphrase_bertscore,
            keyphrase_diversity, keyphrase_ndcg, sem_f1, semr_p).
        dtype: numbers that the encoder computes with (fem_kp, keyphrase_diversity, keyphrase_ndcg, sem_f1,
            semr_p).
        cache_dir: keep embeddings on disk there, over processes and days (fem_kp, keyphrase_diversity,
            keyphrase_ndcg, sem_f1, semr_p).
        encoder_revision: revision of the encoder on the Hub (fem_kp).
        generator: what writes a summary from the phrases; 'serialize' takes the phrases themselves (fem_kp).
        num_beams: beams of the generator's search (fem_kp).
        max_new_tokens: longest summary that the generator writes (fem_kp).
        unit: what a term of the query is: a phrase, or a token (fem_kp).
        retriever: who ranks: this package, or the library rank_bm25 with unit='token' (fem_kp).
        k1: how slowly repeated occurrences saturate in BM25 (fem_kp).
        b: how far BM25 corrects for the length of a document (fem_kp).
        max_rank: the last rank that earns anything (fem_kp).
        beta: weight of reconstruction; with delta it adds up to 1 (fem_kp).
        delta: weight of retrieval (fem_kp).
        model: the model of the token vectors (keyphrase_bertscore).
        num_layers: the layer whose vectors are compared (keyphrase_bertscore).
        pairwise_similarity: also give pairwise_similarity, which needs an encoder (keyphrase_diversity).
        lone_similarity: pairwise_similarity of a document with fewer than two phrases; None leaves it to
            on_empty (keyphrase_diversity).
        cutoffs: ranks k; 'M' all predictions, 'O' as many as references (keyphrase_f1, keyphrase_ndcg).
        average: mean of the documents' F1; F1 of the mean precision and mean recall; F1 of summed counts
            (keyphrase_f1).
        pad: divide precision by k even where fewer phrases were predicted (keyphrase_f1).
        pad_empty: with pad and micro: a document without predictions adds its k to the denominator too
            (keyphrase_f1).
        keyphrases: which references count; present and absent need sources; present_and_absent gives keys with
            those prefixes (keyphrase_f1).
        filter_predictions: restrict predictions as keyphrases restricts references, before the cut-off
            (keyphrase_f1).
        invalid_tokens: drop a prediction that has one of these among its stems, before anything is counted
            (keyphrase_f1).
        max_predictions: take only the first so many predictions, as they were given (keyphrase_f1).
        oracle: also give the best F1 over all k (keyphrase_f1).
        partial: also give the scores with credit for shared stems, each reference paired once (keyphrase_f1).
        ideal: the ideal list has all references, so that a missed one costs; or only the gains that were
            retrieved (keyphrase_ndcg).
        relevance: what gains: the same stems; also a phrase that includes or is part of a reference; or by
            cosine of embeddings (1 for the same stems); each prediction takes its best reference that is left
            (keyphrase_ndcg).
        gain: gain is the relevance, or 2^relevance - 1 (keyphrase_ndcg).
        weighted: in ndcg a match is worth its reference's weight; needs reference_weights, as score takes them
            (keyphrase_ndcg).
        alpha_ndcg: also give alpha_ndcg (keyphrase_ndcg).
        nuggets: for alpha_ndcg, which references a prediction covers: those it matches under relevance, or
            those whose joined stems hold its own as characters, as KPEval does (keyphrase_ndcg).
        rouge_tokenizer: the words that ROUGE counts: the library's own, runs of a-z and 0-9; or this metric's
            tokens and stems, of every script (keyphrase_rouge).
        one_to_one: credit each reference at most once, by maximum-weight matching (r_precision).
        containment: approximate match on whole tokens, or on the characters of the joined stems ('art' in
            'cart') as KPEval does (r_precision).
        order: predictions as ranked, or present before absent; needs sources (r_precision).
        threshold: a cosine must be above it to earn anything (sem_f1).
        exact_recall: a reference found by its stems earns 1; KPEval's code gives it its cosine instead
            (sem_f1).
        k: how many references' cosines are averaged, at most R (semr_p).
        k_fraction: k as a share of R, rounded up; instead of k (semr_p).
        denominator: divide by R (eq. 2), or by min(R, m) as the authors' standalone script does (semr_p).
    """
